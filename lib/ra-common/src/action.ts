/** What a request asks for. */
export enum Action {
  Post = 'Post',
  Put = 'Put',
  Delete = 'Delete',
  Get = 'Get',
}
