"""The pages that people see: HTML routes and forms, thin, over the same views as the API."""
