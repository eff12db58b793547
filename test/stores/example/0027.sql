INSERT INTO turn_traces (turn, traceparent, noted_at) VALUES
  ('aaaaaaaa-0000-4000-8000-000000000003', '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', 1763800110000);
