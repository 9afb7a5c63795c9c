"""The six rows of the README as a file, with values that no message may show, and their plan."""

SIX = "zip,disease\n1301,zqHIV\n1301,zqHIV\n1302,zqflu\n1302,zqcold\n1302,zqasthma\n1302,zqcough\n"
PLAN = """
allow_unsafe = true
[method]
name = "mondrian"
[input]
path = "six.csv"
[columns.zip]
role = "quasi-identifier"
hierarchy = { kind = "masking" }
[columns.disease]
role = "sensitive"
[privacy]
k-anonymity = { k = 2 }
frequency-l-diversity = { l = 2 }
"""
