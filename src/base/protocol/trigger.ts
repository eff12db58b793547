const prefix = 'trigger:'

/**
 * The asker of a trigger's messages, `trigger:<name>`. No team, chat, program or person in a browser can have such a
 * name.
 */
export function triggerAsker(name: string): string {
  return `${prefix}${name}`
}

export function isTriggerAsker(asker: string): boolean {
  return asker.startsWith(prefix)
}
