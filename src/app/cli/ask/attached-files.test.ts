import { expect, test } from 'vitest'
import { attachedFiles } from './attached-files.ts'

test('a file without an end is refused once more than is taken has come', async () => {
  await expect(attachedFiles(['/dev/zero'])).rejects.toMatchObject({
    code: 'invalid_input',
    message: '/dev/zero is larger than 10485760 bytes, the most of one attached file.',
  })
})
