"""Real encoded files: a timeline becomes an H.264 video, and frames are read back from it by time.

A frame is written only where the timeline changes, so that an hour is a few megabytes; every frame is a key frame, so
that reading one decodes one. The encoder runs on one thread, and colours are converted by integer arithmetic of our
own, both so that the same video has the same decoded pixels everywhere.
"""

from __future__ import annotations

import os
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from benchmark.construct.render import screen
from benchmark.construct.videos.scenes import FORM
from benchmark.construct.videos.timeline import Video, clock

TIME_BASE = Fraction(1, 10)


class FilmError(ValueError):
    """A video that cannot be written or read; the message names the file."""


def to_yuv(image: Image.Image) -> NDArray[np.uint8]:
    """RGB pixels to planar YUV 4:2:0 (BT.601, limited range), shape (height * 3 // 2, width), integers only."""
    rgb = np.asarray(image, np.int32)
    r, g, b = rgb[..., 0], rgb[..., 1], rgb[..., 2]
    y = ((66 * r + 129 * g + 25 * b + 128) >> 8) + 16
    u = ((-38 * r - 74 * g + 112 * b + 128) >> 8) + 128
    v = ((112 * r - 94 * g - 18 * b + 128) >> 8) + 128

    def halved(plane: NDArray[np.int32]) -> NDArray[np.int32]:
        return (plane[0::2, 0::2] + plane[1::2, 0::2] + plane[0::2, 1::2] + plane[1::2, 1::2] + 2) >> 2

    height, width = y.shape
    planes = [y, halved(u).reshape(height // 4, width), halved(v).reshape(height // 4, width)]
    return np.clip(np.concatenate(planes), 0, 255).astype(np.uint8)


def to_rgb(planes: NDArray[np.uint8]) -> Image.Image:
    """The way back from `to_yuv`, integers only."""
    height, width = planes.shape[0] * 2 // 3, planes.shape[1]
    wide = planes.astype(np.int32)
    c = (wide[:height] - 16) * 298
    u = wide[height : height * 5 // 4].reshape(height // 2, width // 2) - 128
    v = wide[height * 5 // 4 :].reshape(height // 2, width // 2) - 128
    u, v = (plane.repeat(2, axis=0).repeat(2, axis=1) for plane in (u, v))
    channels = [(c + 409 * v + 128) >> 8, (c - 100 * u - 208 * v + 128) >> 8, (c + 516 * u + 128) >> 8]
    return Image.fromarray(np.clip(np.stack(channels, axis=-1), 0, 255).astype(np.uint8))


def write(video: Video, path: Path) -> None:
    """Encodes a video, atomically; a file that is there already is kept.

    Raises:
        FilmError: the encoder is not available or the file cannot be written.
    """
    if path.exists():
        return
    import av

    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.stem}.{os.getpid()}.mp4")
    try:
        with av.open(str(part), "w") as container:
            stream: Any = container.add_stream("libx264", rate=10)
            stream.width, stream.height, stream.pix_fmt = FORM.width, FORM.height, "yuv420p"
            stream.codec_context.time_base = TIME_BASE
            stream.codec_context.thread_count = 1
            stream.options = {"crf": "16", "preset": "medium", "g": "1", "bf": "0", "threads": "1"}
            for index, shot in enumerate(video.shots):
                picture = screen(video.html(index), FORM).image
                frame: Any = av.VideoFrame.from_ndarray(to_yuv(picture), format="yuv420p")
                frame.pts, frame.time_base = shot.start * 10, TIME_BASE
                container.mux(stream.encode(frame))
            container.mux(stream.encode())
        os.replace(part, path)
    except (av.error.FFmpegError, OSError) as error:
        part.unlink(missing_ok=True)
        raise FilmError(f"video {path.name} cannot be written: {error}") from None


def read(path: Path, seconds: float) -> Image.Image:
    """The frame that is shown at a time, decoded alone.

    Raises:
        FilmError: the file cannot be opened, or shows nothing at that time.
    """
    import av

    try:
        with av.open(str(path)) as container:
            stream: Any = container.streams.video[0]
            stream.thread_type = "NONE"
            target = int(seconds / stream.time_base)
            container.seek(target, stream=stream, backward=True)
            found: Any = None
            for frame in container.decode(stream):
                if frame.pts > target and found is not None:
                    break
                found = frame
                if frame.pts >= target:
                    break
            if found is None:
                raise FilmError(f"video {path.name} shows nothing at {clock(int(seconds))}")
            return to_rgb(found.to_ndarray(format="yuv420p"))
    except (av.error.FFmpegError, OSError) as error:
        raise FilmError(f"video {path.name} cannot be read: {error}") from None
