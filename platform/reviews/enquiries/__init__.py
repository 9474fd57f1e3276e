"""Questions of candidates, who of the staff may answer them, and announcements to all at an exercise."""
