"""SCIM 2.0 for a company's identity provider: it reads the staff's accounts, ends access and gives it back."""
