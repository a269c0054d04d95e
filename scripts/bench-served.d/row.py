"""One row of bench-served's table.

Usage: row.py WHO WALL USER SYSTEM STATS   (seconds; STATS: the server's counts, as JSON)
"""
import json
import sys


def main():
    who, wall, user, system, stats = sys.argv[1], *map(float, sys.argv[2:5]), json.loads(sys.argv[5])
    calls, cpu, server = stats["replied"], user + system, stats["us_cpu_per_request"]
    if calls == 0:
        print(f"| {who} | no call was answered | | | | | |")
        return
    each = f"| {calls:,} | {wall:.2f} | {calls / wall:,.0f} | {cpu:.2f} | {cpu * 1e6 / calls:,.0f} | {server:.0f} | {stats['most_at_once']} |"
    print(f"| {who} {each}")


main()
