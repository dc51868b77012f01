"""Write the generated parts of the documentation anew: python -m docs."""

from docs import CLI, README, refreshed_cli, refreshed_readme

if __name__ == "__main__":
    for path, refreshed in ((CLI, refreshed_cli), (README, refreshed_readme)):
        path.write_text(refreshed(path.read_text("utf-8")), "utf-8")
        print(path.name)
