"""The field tables as JSON Schema files, one per version and layer, and what is needed to apply them.

Source: contract [SCHEMA-1] and [M-4]. `atomic_agents._schema` is the door to it.
"""
