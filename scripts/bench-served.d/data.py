"""Items and the responses of two systems for bench-served.

Usage: data.py FOLDER ITEMS
"""
import json
import os
import sys


def main():
    folder, items = sys.argv[1], int(sys.argv[2])
    os.makedirs(folder)
    with open(f"{folder}/items.jsonl", "w") as out:
        for item in range(items):
            out.write(json.dumps({"id": str(item), "instruction": f"Instruction {item}: say something about {item}."}) + "\n")
    with open(f"{folder}/responses.jsonl", "w") as out:
        for item in range(items):
            for system in "ab":
                text = f"Response of {system} to {item} says " + "word " * 160
                out.write(json.dumps({"item": str(item), "system": system, "output": text}) + "\n")


main()
