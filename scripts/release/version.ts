import { Refusal } from './refusal.ts'

const form = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/

/** Throws a `Refusal` for what is no version, such as "v1.2" or "next". */
export function checkVersion(text: string): string {
  if (form.test(text)) return text
  throw new Refusal(`"${text}" is not a version. Give three numbers, such as 1.2.0.`)
}

export function isNewer(version: string, than: string): boolean {
  const [a, b] = [version, than].map((text) => text.split('.').map(Number)) as [number[], number[]]
  const different = a.findIndex((number, index) => number !== b[index])
  return different !== -1 && a[different]! > b[different]!
}
