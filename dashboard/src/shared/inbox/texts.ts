/** The texts of this part of the dashboard, in one place so that they can be translated. */
export const texts = {
  undo: 'Undo',
}
