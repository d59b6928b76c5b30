"""What people see: files, pages and plots."""
