UPDATE permissions SET why = 'frontend→backend has changed src/orders.ts and still works'
WHERE id = (SELECT id FROM permissions ORDER BY asked_at LIMIT 1);
