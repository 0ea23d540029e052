/** The size of a picture beside a link in a message, in pixels: what most programs ask for. */
export const PICTURE_WIDTH = 1200
export const PICTURE_HEIGHT = 630
