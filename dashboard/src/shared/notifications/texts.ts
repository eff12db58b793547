/** What this part of the dashboard says, in one place so that it can be translated. */
export const texts = {
  desktopNotifications: 'Desktop notifications',
  quiet: { from: 'Silent from', to: 'to' },
  severalNeedYou: (count: number) => `${count} need you`,
  thisBrowserDoesNot: 'This browser does not let Iris notify you',
}
