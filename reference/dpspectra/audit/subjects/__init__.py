"""Subjects to try the auditor on: broken mechanisms, and this package's own samplers beside reference laws."""
