"""KnownScript -> GraphML: events as nodes, the order as edges, for Gephi, yEd, Cytoscape and networkx."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from scenarist.answers import KnownScript

SPACE = "http://graphml.graphdrawing.org/xmlns"
NODE = {
    "phrase": "string", "scene": "string", "by": "string", "source": "string", "happens": "string", "happened": "double",
    "told": "int", "tellers": "int", "place": "double", "silent": "boolean", "one_of": "string", "sub": "string",
}  # fmt: skip
"""What stands at a node, with its type."""


def graphml(script: KnownScript) -> str:
    """A script as a directed graph.

    >>> from scenarist.answers import KnownEvent
    >>> pour = KnownEvent("pour", "pour it", "written", 0.9, after=("boil",))
    >>> script = KnownScript("tea", (KnownEvent("boil", "boil water", "written", 0.9), pour))
    >>> '<edge source="boil" target="pour">' in graphml(script)
    True
    """
    ET.register_namespace("", SPACE)
    root = ET.Element(f"{{{SPACE}}}graphml")
    for name, kind in NODE.items():
        ET.SubElement(root, f"{{{SPACE}}}key", {"id": name, "for": "node", "attr.name": name, "attr.type": kind})
    ET.SubElement(root, f"{{{SPACE}}}key", {"id": "order", "for": "edge", "attr.name": "order", "attr.type": "string"})
    graph = ET.SubElement(root, f"{{{SPACE}}}graph", {"id": script.scenario, "edgedefault": "directed"})
    known = {event.id for event in script.events}
    for event in script.events:
        node = ET.SubElement(graph, f"{{{SPACE}}}node", {"id": event.id})
        for name in NODE:
            value = getattr(event, name)
            data = ET.SubElement(node, f"{{{SPACE}}}data", {"key": name})
            data.text = str(value).lower() if isinstance(value, bool) else str(value)
    for event in script.events:
        for order, others in (("always", event.after), ("usually", event.after_usually)):
            for other in others:
                if other in known:
                    edge = ET.SubElement(graph, f"{{{SPACE}}}edge", {"source": other, "target": event.id})
                    ET.SubElement(edge, f"{{{SPACE}}}data", {"key": "order"}).text = order
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"
