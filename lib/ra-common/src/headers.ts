export const HEADER_AUTHORIZATION = 'Authorization';
export const HEADER_CONTENT_DISPOSITION = 'Content-Disposition';
export const HEADER_CONTENT_TRANSFER_ENCODING = 'Content-Transfer-Encoding';
export const HEADER_CONTENT_TYPE = 'Content-Type';
/** A value for `HEADER_CONTENT_TYPE`. */
export const HEADER_CONTENT_TYPE_JSON = 'application/json';
export const HEADER_USER_AGENT = 'User-Agent';
