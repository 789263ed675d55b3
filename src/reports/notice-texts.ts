/** What an alert says: a headline of one line, and the lines below it. */
export interface NoticeTexts {
  readonly headline: string;
  readonly details: string;
}
