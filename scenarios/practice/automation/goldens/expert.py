"""Drains what is too hot, resumes what has cooled."""


def control(cluster):
    going = True
    while going:
        for name, temperature, state in cluster._ask("nodes")["rows"]:
            if state == "serving" and temperature > 80.0:
                cluster._ask("drain", node=name)
            if state == "drained" and temperature < 60.0:
                cluster._ask("resume", node=name)
        going = cluster.tick()
