from benchmark.construct.payload.web import STYLES
