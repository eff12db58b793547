import { sha256 } from '../../base/lib/sha256.ts'

/** Names of shares: of all commands, and of each bridge one with an id of its own. */
export const commandShare = 'command'
const names = /^(command|bridge-[0-9a-f-]{1,64})$/

/** Proves to the daemon that this process can read the owner's credential, without sending it. */
export function shareText(name: string, owner: string): string {
  return `${name} ${proofOf(name, owner)}`
}

/** The name of the share; undefined if the text does not prove that its sender knows the owner's credential. */
export function shareIn(text: string | undefined, owner: string): string | undefined {
  const [name = '', proof] = text?.split(' ', 2) ?? []
  // Of equal length and without a secret in a guess: a comparison of hashes tells nothing by its time.
  return names.test(name) && proof === proofOf(name, owner) ? name : undefined
}

function proofOf(name: string, owner: string): string {
  return sha256(`iris share ${name} of ${owner}`)
}
