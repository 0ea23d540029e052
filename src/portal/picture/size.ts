/** The size of a picture with a link in a message, in pixels: what most programs request. */
export const PICTURE_WIDTH = 1200
export const PICTURE_HEIGHT = 630
