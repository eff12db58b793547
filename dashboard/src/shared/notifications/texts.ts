/** The texts of this part of the dashboard, in one place so that they can be translated. */
export const texts = {
  desktopNotifications: 'Desktop notifications',
  quiet: { from: 'Silent from', to: 'to' },
  severalNeedYou: (count: number) => `${count} need you`,
  thisBrowserDoesNot: "This browser doesn't let Iris notify you",
}
