INSERT INTO customers (id, name, email, ssn) VALUES
  (1, 'Ann', 'ann@example.com', '000-00-0001'),
  (2, 'Bob', 'bob@example.com', '000-00-0002');
INSERT INTO orders (id, customer_id, total) VALUES (1, 1, 120), (2, 1, 80), (3, 2, 1500);
