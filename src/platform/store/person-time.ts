/**
 * In a query of `turns`: how long questions about the turn's tools waited for people, milliseconds; null if nobody was
 * asked.
 */
export const personMs = '(SELECT SUM(decided_at - asked_at) FROM permissions WHERE permissions.turn = turns.id)'

/**
 * In a query of `turns`: milliseconds from acceptance to the end, without the time in which a question waited for a
 * person.
 */
export const answerMs = `MAX(0, settled_at - accepted_at - COALESCE(${personMs}, 0))`
