"""The probes as a second person reads them: items without keys, and what their answers say."""
