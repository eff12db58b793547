import { accessSync, constants } from 'node:fs'
import { dirname } from 'node:path'

/**
 * The directories around these places that a process of this user can give another name, outermost first. Renamed, they
 * take the place with them, and the next process would have something else hidden in its stead.
 */
export function renameableAround(places: readonly string[]): string[] {
  const around = new Set(places.flatMap((place) => directoriesAround(place)))
  return [...around].filter((path) => isWritable(dirname(path))).toSorted((one, other) => one.length - other.length)
}

function directoriesAround(place: string): string[] {
  const parent = dirname(place)
  return parent === dirname(parent) ? [] : [parent, ...directoriesAround(parent)]
}

function isWritable(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK)
    return true
  } catch {
    return false
  }
}
