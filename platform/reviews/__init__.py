"""What people made of an attempt, in rooms by what they do.

Each room holds its rules, its pages with their addresses and templates, and its tests. Rules never import
pages, and rooms import each other in one direction only:

    overview    one attempt on one page, and its buttons
    privacy     what is kept of a candidate: given out, let go
    decisions   candidates side by side, reports, tables, the decision
    interviews  question sets, interviews, an opening's guide
    feedback    explain and defend, feedback and revision, the discussion
    scoring     scorecards, blindness, agreement, pins, overrides
    fairness    calibration, reliability, adverse impact
    evidence    what an answer says and what the machine found in it

Beside them lies what all of them share: who may see what, phases in words, the way into a page, paper. Models,
their migrations and the admin's pages stay together, since tables refer to each other.
"""
