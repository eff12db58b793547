/** In a query of `turns`: how long people were asked about tools of the turn, milliseconds; null: nobody was. */
export const personMs = '(SELECT SUM(decided_at - asked_at) FROM permissions WHERE permissions.turn = turns.id)'

/** In a query of `turns`: from acceptance to the end, without the time in which a person was asked, milliseconds. */
export const answerMs = `MAX(0, settled_at - accepted_at - COALESCE(${personMs}, 0))`
