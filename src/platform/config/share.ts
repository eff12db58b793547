import { sha256 } from '../../base/lib/sha256.ts'

/** Names of shares: one for all commands, and one for each bridge, with its id. */
export const commandShare = 'command'
const names = /^(command|bridge-[0-9a-f-]{1,64})$/

/** Proves to the daemon that this process can read the owner's credential, without sending it. */
export function shareText(name: string, owner: string): string {
  return `${name} ${proofOf(name, owner)}`
}

/** The name of the share; undefined if the text does not prove that its sender knows the owner's credential. */
export function shareIn(text: string | undefined, owner: string): string | undefined {
  const [name = '', proof] = text?.split(' ', 2) ?? []
  // Hashes have equal length and the attacker cannot choose them, so the time of a comparison reveals nothing.
  return names.test(name) && proof === proofOf(name, owner) ? name : undefined
}

function proofOf(name: string, owner: string): string {
  return sha256(`iris share ${name} of ${owner}`)
}
