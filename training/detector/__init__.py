"""How `resources/detector` was made: prepare, teach, learn, export; see the README beside this file."""
