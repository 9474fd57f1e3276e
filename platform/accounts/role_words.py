"""What a role may do, in the words of the pages: for whoever gives somebody a role."""

from __future__ import annotations

from accounts.roles import ROLES

AREAS = {
    "hiring.opening": "Openings",
    "hiring.exercise": "Exercises of an opening",
    "hiring.candidate": "Candidates",
    "hiring.accommodation": "Extra time",
    "hiring.invitation": "Invitations and links",
    "hiring.message": "Messages",
    "hiring.messagewords": "Words of messages",
    "assessments.attempt": "Attempts",
    "assessments.timeevent": "Time of an attempt: extend, reopen",
    "assessments.enquiry": "Questions of candidates",
    "assessments.announcement": "Answers and announcements to candidates",
    "assessments.impression": "How it was for candidates",
    "assessments.submission": "Answers that were handed in",
    "assessments.run": "What candidates tried out",
    "assessments.gradingrun": "Gradings by the machine",
    "reviews.assignment": "Who scores what",
    "reviews.evaluation": "Scorecards",
    "reviews.calibrationcard": "Calibration",
    "reviews.measureoverride": "Overrides of measures",
    "reviews.discussionoutcome": "Discussions of scores that differ",
    "reviews.likeness": "Shared passages",
    "reviews.defence": "Explain and defend",
    "reviews.feedback": "Feedback and revision",
    "reviews.note": "Notes about an attempt",
    "reviews.decision": "Decisions",
    "reviews.reportlink": "Shared reports",
    "reviews.questionset": "Question sets",
    "reviews.interviewsession": "Interviews",
    "reviews.interviewscore": "Interview scores",
    "library.question": "Question bank",
    "library.packversion": "Catalogue of exercises",
    "library.rubric": "Rubrics",
    "library.criterion": "",
    "library.criterionlevel": "",
    "library.companyprofile": "Company profiles",
    "reviews.selfdescription": "Adverse impact",
    "hiring.sighting": "Who saw whom",
    "admin.logentry": "Audit trail",
    "accounts.user": "Staff",
    "auth.group": "Roles",
    "integrations.apitoken": "API tokens",
    "integrations.webhook": "Webhooks",
    "integrations.delivery": "",
    "integrations.connection": "Tracking systems",
}
"""Kind of record -> what pages call it; "" for a part of another one. In the order of a candidate's way."""
VERBS = {
    "view": "see",
    "add": "add",
    "change": "change",
    "delete": "remove",
    "erase": "export and erase",
    "study": "compare evaluators",
    "oversee": "every one of them",
    "lead": "those that name them",
}


def grants_in_words(role: str) -> list[tuple[str, str]]:
    """(what, "see, add, change") of each area that the role may look into."""
    held = ROLES.get(role, {})
    return [
        (area, ", ".join(VERBS[verb] for verb in held[label]))
        for label, area in AREAS.items()
        if area and label in held
    ]
