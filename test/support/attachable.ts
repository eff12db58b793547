import type { Script } from '../../src/app/demo/script.ts'

/** A picture of one pixel. */
export const tinyPng = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** A document of one empty page. */
export const tinyPdf = Buffer.from(
  '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n' +
    '3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n',
)

/** Reads the attached files that have a path, and answers with what they say. */
export const attachmentReader: Script = ({ conversation: { userTexts, step, toolResults } }) => {
  const files = userTexts.findLast((text) => text.includes('<iris-attachments>')) ?? ''
  const paths = [...files.matchAll(/"path":"([^"]+)"/g)].map(([, path]) => path)
  if (step === 0 && paths.length > 0)
    return { toolUses: paths.map((path) => ({ name: 'Read', input: { file_path: path } })) }
  return { text: `read: ${toolResults.map(({ text }) => text).join()}` }
}
