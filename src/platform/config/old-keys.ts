/** What replaces the older `skipPermissions` of a team. */
export function skipPermissionsWords(team: Readonly<Record<string, unknown>>) {
  const problem = 'is an older key; grantPermission has taken its place'
  if (team['skipPermissions'] !== true) return { problem, remedy: 'Remove the line.' }
  if (team['grantPermission'] !== undefined) {
    return { problem, remedy: 'Remove the line: grantPermission beside it decides.' }
  }
  return {
    problem,
    remedy:
      'Replace the line by these two, if this team may really do everything without asking:\n' +
      'grantPermission: yes\ndangerous: true',
  }
}
