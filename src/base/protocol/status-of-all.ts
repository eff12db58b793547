/**
 * The status of a message to several teams, from the status of each turn: the status of a turn that is still running,
 * if there is one; otherwise `completed`, `failed` (none completed) or `mixed`.
 */
export function statusOfAll(results: readonly { readonly status: string }[]) {
  const statuses = new Set(results.map(({ status }) => status))
  if (statuses.has('scheduled')) return 'scheduled'
  if (statuses.has('mcp_timeout')) return 'mcp_timeout'
  if (statuses.has('async')) return 'async'
  if (!statuses.has('completed')) return 'failed'
  return statuses.size === 1 ? 'completed' : 'mixed'
}
