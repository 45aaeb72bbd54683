/** The kind of message an envelope carries, or that it carries none. */
export enum MessageType {
  Document = 'Document',
  Text = 'Text',
  Event = 'Event',
  Command = 'Command',
  None = 'None',
}
