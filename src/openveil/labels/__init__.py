"""The labels of published tables, whoever wrote them: what each stands for."""
