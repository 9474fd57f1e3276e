"""What candidates do: attempts and their clock, drafts, submissions, runs and gradings, and the pages for it.

Beside the verbs and what carries them out lie rooms, which import each other in one direction only:

    ahead            what may be read before the clock starts
    cost, scaling, troubleshooting, automation, gpu, terminal
                     the workplaces: what each kind of exercise has of its own
    workplace        what those with materials share: who may look at them
    prepared         variants drawn ahead, and how far they are
    materials        variants as they lie on this host
    models           the rows
"""
