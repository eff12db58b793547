import { z } from 'zod'

/** A cursor that names the last item of a page by a number, such as its time, and its id. */
export const PlaceCursor = z
  .string()
  .regex(/^\d+:.+$/)
  .describe('nextCursor of the previous page')

export function placeCursor(at: number, id: string | number): string {
  return `${at}:${id}`
}

export function placeAt(cursor: string): { readonly at: number; readonly id: string } {
  const colon = cursor.indexOf(':')
  return { at: Number(cursor.slice(0, colon)), id: cursor.slice(colon + 1) }
}
