import { readFileSync, writeFileSync } from 'node:fs'
import { Seal } from '../../core/cluster/seal.ts'

/** The key pair of this host, made at its first use. Throws where the file cannot be read or written. */
export function sealIn(path: string): Seal {
  try {
    return new Seal(readFileSync(path, 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    const made = Seal.make()
    writeFileSync(path, made, { mode: 0o600, flag: 'wx' })
    return new Seal(made)
  }
}
