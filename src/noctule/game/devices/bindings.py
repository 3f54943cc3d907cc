"""Which key, button or axis does what. Names are those of Panda3D's events."""

# Held controls: name of the input -> (control, value).
KEYS: dict[str, tuple[str, float]] = {
    "a": ("yaw", -1.0),
    "d": ("yaw", 1.0),
    "w": ("pitch", -1.0),
    "s": ("pitch", 1.0),
    "arrow_left": ("look_x", -1.0),
    "arrow_right": ("look_x", 1.0),
    "arrow_down": ("look_y", -1.0),
    "arrow_up": ("look_y", 1.0),
    "e": ("boost", 1.0),
    "q": ("brake", 1.0),
    "space": ("fire", 1.0),
    "mouse1": ("fire", 1.0),
    "mouse3": ("look", 1.0),  # while it is held, the mouse looks around
    "lshift": ("swap", 1.0),
    "mouse2": ("swap", 1.0),
    "r": ("reload", 1.0),
    "gamepad-face_x": ("swap", 1.0),
    "gamepad-face_b": ("reload", 1.0),
    "gamepad-face_a": ("boost", 1.0),
    "gamepad-rshoulder": ("boost", 1.0),
    "gamepad-lshoulder": ("brake", 1.0),
    "gamepad-ltrigger": ("fire", 1.0),
    "gamepad-rtrigger": ("fire", 1.0),
}

# Axes: name -> control. Sticks are from -1 to 1, up and right are positive; triggers from 0 to 1.
AXES: dict[str, str] = {
    "left_x": "yaw",
    "left_y": "pitch",
    "right_x": "look_x",
    "right_y": "look_y",
    "left_trigger": "fire",
    "right_trigger": "fire",
}
DOWNWARDS = ("left_y",)  # stick up lowers the nose, as the key w does
DEAD_ZONE = 0.19  # of a stick
HALF_WAY = 0.5  # from here on, a trigger fires
MOUSE_DEAD_ZONE = 0.06  # around the middle of the window

# What happens once when pressed, in the game and in menus.
ACTIONS: dict[str, tuple[str, ...]] = {
    "escape": ("pause",),
    "p": ("pause",),
    "f1": ("help",),
    "c": ("camera",),
    "v": ("ai",),
    "t": ("slow",),
    "m": ("mute",),
    "f11": ("fullscreen",),
    "arrow_up": ("up",),
    "arrow_down": ("down",),
    "arrow_left": ("left",),
    "arrow_right": ("right",),
    "w": ("up",),
    "s": ("down",),
    "a": ("left",),
    "d": ("right",),
    "enter": ("choose",),
    "space": ("choose",),
    "gamepad-start": ("pause",),
    "gamepad-back": ("ai",),
    "gamepad-face_y": ("camera",),
    "gamepad-face_a": ("choose",),
    "gamepad-dpad_up": ("up",),
    "gamepad-dpad_down": ("down",),
    "gamepad-dpad_left": ("left",),
    "gamepad-dpad_right": ("right",),
    "gamepad-lstick": ("slow",),
}

HELP = """\
                     keyboard and mouse              gamepad
yaw, pitch           A D, W S, or the mouse          left stick
look around          arrows, or right button held    right stick
fire                 space, left button              triggers
other gun            left shift, middle button       X
reload               R                               B
boost, brake         E, Q                            A, left shoulder
camera               C                               Y
show the AI          V                               back
slow motion          T                               press left stick
pause                P, escape                       start
sound on or off      M
whole screen         F11"""
