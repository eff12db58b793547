import { writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

// `node --import <this file> …` writes down which files a program loads, and which parts of Node, where NOTE_LOADED says.
const files: string[] = []
registerHooks({
  load(url, context, nextLoad) {
    if (url.startsWith('file:')) files.push(url)
    return nextLoad(url, context)
  },
})
process.on('exit', () => {
  const { moduleLoadList } = process as unknown as { readonly moduleLoadList: readonly string[] }
  writeFileSync(process.env['NOTE_LOADED']!, JSON.stringify([...files, ...moduleLoadList]))
})
