"""What others may want to hear of the moment it happens. Receivers run in its transaction."""

from __future__ import annotations

from django.dispatch import Signal

handed_in = Signal()
"""An answer was frozen. sender: Submission; submission, now."""
grading_given_up = Signal()
"""A grading ended without a result after several tries. sender: GradingRun; run, now."""
sandbox_refused = Signal()
"""The sandbox would run nothing. sender: what was to be run; layer: the missing one's name, or empty."""
asked = Signal()
"""A candidate asked something. sender: Enquiry; enquiry, now."""
told_one = Signal()
"""Staff answered one candidate. sender: Announcement; announcement, now."""
