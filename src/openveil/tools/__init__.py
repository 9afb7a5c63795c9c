"""The generic repairs of ASAP, and the cuts they repair: functions that any publisher is composed with."""
