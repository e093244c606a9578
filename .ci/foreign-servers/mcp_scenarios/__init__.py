"""The client scenarios of the conformance suite of the Model Context Protocol that concern authorization.

Names of scenarios and checks, and what each server answers, are the suite's. The code is not.
"""
