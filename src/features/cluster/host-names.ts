/** A team on another host is named `team@host`. The host follows the last `@`: host names have none. */
export function partsOf(name: string): { readonly team: string; readonly host: string } | undefined {
  const at = name.lastIndexOf('@')
  return at <= 0 ? undefined : { team: name.slice(0, at), host: name.slice(at + 1) }
}

export function nameOf(team: string, host: string): string {
  return `${team}@${host}`
}
