-- A turn that uses a budget together with others.
INSERT INTO shared_budgets (id, budget, accepted_at) VALUES
  ('dddddddd-0000-4000-8000-000000000019', '{"cost":1}', 1763800100000);
UPDATE turns SET shared_budget = 'dddddddd-0000-4000-8000-000000000019' WHERE id = 'aaaaaaaa-0000-4000-8000-000000000003';
