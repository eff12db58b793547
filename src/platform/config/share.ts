import { sha256 } from '../../base/lib/sha256.ts'

/**
 * Names of shares. A share has a call limit of its own, which no other program can use up. There is one share for all
 * commands of Iris, and one for each bridge, named with the bridge's id.
 */
export const commandShare = 'command'
const validName = /^(command|bridge-[0-9a-f-]{1,64})$/

/** The name of a share, with a proof that this process can read the owner's credential; the credential is not sent. */
export function shareText(name: string, owner: string): string {
  return `${name} ${proofOf(name, owner)}`
}

/** The name of the share; undefined if the text does not prove that its sender knows the owner's credential. */
export function shareIn(text: string | undefined, owner: string): string | undefined {
  const [name = '', proof] = text?.split(' ', 2) ?? []
  // An ordinary comparison is safe: nobody can choose a hash, so its duration reveals nothing about the right one.
  return validName.test(name) && proof === proofOf(name, owner) ? name : undefined
}

function proofOf(name: string, owner: string): string {
  return sha256(`iris share ${name} of ${owner}`)
}
