"""Keeps four nodes cool for an hour."""

from headnode_sdk import call

TOO_HOT, COOL = 80.0, 60.0

done = False
while not done:
    for name, temperature, state in call("nodes")["rows"]:
        if state == "serving" and temperature > TOO_HOT:
            print(f"{name} is at {temperature} °C")
            # Drain the node here.
        # And here, resume one that is drained and cooler than COOL.
    done = call("tick")["done"]
