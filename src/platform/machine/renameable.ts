import { accessSync, constants } from 'node:fs'
import { dirname } from 'node:path'

/**
 * The directories above these paths that a process of this user can rename, outermost first. Renaming such a directory
 * moves the path's content elsewhere, so for the next process Iris would hide the wrong place.
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
