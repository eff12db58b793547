import { type OpenFile, openPrivate, readEnd, writeAt } from './private-file.ts'

/** Appends whole records, each of which ends with an empty line, to a log that may end in the middle of one. */
export async function appendRecords(path: string, records: string, open: OpenFile = openPrivate): Promise<void> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const end = (await readEnd(file, size, 2)).toString('latin1')
    const gap = size === 0 || end === '\n\n' ? '' : end.endsWith('\n') ? '\n' : '\n\n'
    await writeAt(file, gap + records, size).catch(async (error: unknown) => {
      await file.truncate(size).catch(() => {})
      throw error
    })
  } finally {
    await file.close()
  }
}
